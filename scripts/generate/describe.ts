import { basename, dirname, join } from "node:path";

import ts from "typescript";

import type { Shape } from "../../components/arguments/fields";

const ROOT = join(__dirname, "../..");

/** An argument with the content of its type and its TSDoc. */
export interface Argument {
    readonly name: string;
    /** The folder of its declaration: `archive` for an argument of components/features/archive. */
    readonly feature: string;
    readonly text: string;
    /** The text after `@default`. */
    readonly default?: string;
    readonly required: boolean;
    /** True if the value can't be an Output. */
    readonly immediate: boolean;
    readonly shape: Shape;
    /** The values of an enumeration, with their texts. */
    readonly choices: readonly { readonly value: string; readonly text: string }[];
    /** Fields of an argument with named fields, or of the items of a list. */
    readonly fields: readonly Argument[];
}

/** Reads the arguments of interfaces, in the order of their declaration. */
export class Description {
    private readonly checker: ts.TypeChecker;
    private readonly source: ts.SourceFile;

    constructor() {
        const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
        const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
        const entry = join(ROOT, "index.ts");
        const program = ts.createProgram([entry], { ...options, noEmit: true });
        this.checker = program.getTypeChecker();
        this.source = program.getSourceFile(entry)!;
    }

    /** The arguments of an interface that the package exports. */
    of(name: string): Argument[] {
        const exported = this.checker.getExportsOfModule(this.checker.getSymbolAtLocation(this.source)!);
        const symbol = exported.find((candidate) => candidate.name === name);
        if (symbol === undefined) {
            throw new Error(`index.ts exports no ${name}.`);
        }
        return this.argumentsOf(this.checker.getDeclaredTypeOfSymbol(this.resolved(symbol)));
    }

    private argumentsOf(type: ts.Type): Argument[] {
        return type.getProperties().map((property) => this.argument(property));
    }

    private argument(property: ts.Symbol): Argument {
        const declaration = property.declarations?.[0];
        if (declaration === undefined || !ts.isPropertySignature(declaration) || declaration.type === undefined) {
            throw new Error(`${property.name} is no property with a type.`);
        }
        const tags = new Map(property.getJsDocTags().map(({ name, text }) => [name, ts.displayPartsToString(text)]));
        const value = unwrapped(declaration.type);
        return {
            name: property.name,
            feature: basename(dirname(declaration.getSourceFile().fileName)),
            text: oneLine(ts.displayPartsToString(property.getDocumentationComment(this.checker))),
            default: tags.has("default") ? oneLine(tags.get("default") ?? "") : undefined,
            required: declaration.questionToken === undefined,
            immediate: value === declaration.type,
            shape: taggedShape(tags) ?? this.shape(value),
            choices: this.choices(value),
            fields: tags.has("open") ? [] : this.fields(value),
        };
    }

    private shape(node: ts.TypeNode): Shape {
        const keyword = KEYWORDS[node.kind];
        if (keyword !== undefined) {
            return keyword;
        }
        if (ts.isArrayTypeNode(node)) {
            return { list: this.shape(unwrapped(node.elementType)) };
        }
        if (ts.isTypeLiteralNode(node)) {
            const [member] = node.members;
            const value = ts.isIndexSignatureDeclaration(member) ? this.shape(unwrapped(member.type)) : undefined;
            return value === undefined || value === "any" ? "object" : { map: value };
        }
        return this.named(node as ts.TypeReferenceNode);
    }

    private named(node: ts.TypeReferenceNode): Shape {
        if (isKubernetesType(node)) {
            return "object";
        }
        const symbol = this.symbolOf(node);
        const [declaration] = symbol.declarations ?? [];
        if (symbol.name === "Kubeconfig") {
            return "kubeconfig";
        }
        if (ts.isEnumDeclaration(declaration)) {
            return { choice: declaration.members.map((member) => String(this.checker.getConstantValue(member))) };
        }
        const fields = this.argumentsOf(this.checker.getDeclaredTypeOfSymbol(symbol));
        return { fields: Object.fromEntries(fields.map(({ name, shape }) => [name, shape])) };
    }

    private fields(node: ts.TypeNode): Argument[] {
        if (ts.isArrayTypeNode(node)) {
            return this.fields(unwrapped(node.elementType));
        }
        const symbol = ts.isTypeReferenceNode(node) && !isKubernetesType(node) ? this.symbolOf(node) : undefined;
        const isInterface = symbol?.declarations?.some((declaration) => ts.isInterfaceDeclaration(declaration));
        return symbol !== undefined && isInterface
            ? this.argumentsOf(this.checker.getDeclaredTypeOfSymbol(symbol))
            : [];
    }

    private choices(node: ts.TypeNode): Argument["choices"] {
        const [declaration] = ts.isTypeReferenceNode(node) ? (this.symbolOf(node).declarations ?? []) : [];
        if (declaration === undefined || !ts.isEnumDeclaration(declaration)) {
            return [];
        }
        return declaration.members.map((member) => {
            const symbol = this.checker.getSymbolAtLocation(member.name)!;
            const text = oneLine(ts.displayPartsToString(symbol.getDocumentationComment(this.checker)));
            return { value: String(this.checker.getConstantValue(member)), text };
        });
    }

    private symbolOf(node: ts.TypeReferenceNode): ts.Symbol {
        return this.resolved(this.checker.getSymbolAtLocation(node.typeName)!);
    }

    private resolved(symbol: ts.Symbol): ts.Symbol {
        return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    }
}

const KEYWORDS: Readonly<Partial<Record<ts.SyntaxKind, Shape>>> = {
    [ts.SyntaxKind.AnyKeyword]: "any",
    [ts.SyntaxKind.BooleanKeyword]: "boolean",
    [ts.SyntaxKind.NumberKeyword]: "integer",
    [ts.SyntaxKind.StringKeyword]: "text",
};

/** The type of a value without `Input`. */
function unwrapped(node: ts.TypeNode): ts.TypeNode {
    const isInput = ts.isTypeReferenceNode(node) && node.typeName.getText() === "Input";
    return isInput ? node.typeArguments![0] : node;
}

/** True for a type of @pulumi/kubernetes. The API server checks such a value. */
function isKubernetesType(node: ts.TypeReferenceNode): boolean {
    return node.typeName.getText().startsWith("types.input.");
}

function oneLine(text: string): string {
    return text.replaceAll(/\s+/g, " ").trim();
}

/** The form that a tag gives, where the type can't express it or Pulumi's analyzer doesn't accept it. */
function taggedShape(tags: ReadonlyMap<string, string>): Shape | undefined {
    if (tags.has("values")) {
        return { choice: oneLine(tags.get("values") ?? "").split(", ") };
    }
    if (tags.has("fractional")) {
        return "number";
    }
    if (tags.has("secret")) {
        return "secret";
    }
    return tags.has("open") ? "object" : undefined;
}
