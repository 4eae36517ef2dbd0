import { basename, dirname, join, relative } from "node:path";

import ts from "typescript";

import type { Shape } from "../../components/arguments/fields";
import { inSeconds, oneLine, taggedKeyword, taggedShape, type Tags } from "./tags";

const ROOT = join(__dirname, "../..");

/** Where the types are that describe the package. */
const ENTRIES = ["components/index.ts", "plugin/getMiniCluster.ts"];

/** An argument, or an output, with the content of its type and its TSDoc. */
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
    readonly secret: boolean;
    readonly shape: Shape;
    /** The interface or constant of the value, or of the items of a list. */
    readonly type?: { readonly name: string; readonly text: string; readonly file: string };
    /** The members of a constant such as `Placement`, with their texts. */
    readonly choices: readonly { readonly name: string; readonly value: string; readonly text: string }[];
    /** Fields of an argument with named fields, or of the items of a list. */
    readonly fields: readonly Argument[];
}

/** Reads the arguments of interfaces and functions and the outputs of classes, in the order of their declaration. */
export class Description {
    private readonly checker: ts.TypeChecker;
    private readonly exported: ReadonlyMap<string, ts.Symbol>;

    constructor() {
        const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
        const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
        const entries = ENTRIES.map((file) => join(ROOT, file));
        const program = ts.createProgram(entries, { ...options, noEmit: true });
        this.checker = program.getTypeChecker();
        const modules = entries.map((file) => this.checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
        const symbols = modules.flatMap((module) => this.checker.getExportsOfModule(module));
        this.exported = new Map(symbols.map((symbol) => [symbol.name, this.resolved(symbol)]));
    }

    /** The arguments of an interface that the package exports. */
    of(name: string): Argument[] {
        return this.argumentsOf(this.checker.getDeclaredTypeOfSymbol(this.find(name)));
    }

    /** The outputs of a component, which are the fields of its class. */
    outputsOf(name: string): Argument[] {
        const members = [...this.find(name).members!.values()];
        const fields = members.filter(({ declarations = [] }) => declarations.some(ts.isPropertyDeclaration));
        return fields.map((field) => this.argument(field));
    }

    parametersOf(name: string): Argument[] {
        const declaration = this.find(name).declarations?.find(ts.isFunctionDeclaration);
        const parameters = declaration?.parameters ?? [];
        return parameters.map((parameter) => this.argument(this.checker.getSymbolAtLocation(parameter.name)!));
    }

    /** The text of an exported class, interface or function. */
    textOf(name: string): string {
        return this.text(this.find(name));
    }

    /** The example of an exported class: the text of its tag as it is written, because the compiler takes its indentation away. */
    exampleOf(name: string): string {
        const tags = (this.find(name).declarations ?? []).flatMap((each) => ts.getJSDocTags(each));
        const tag = tags.find(({ tagName }) => tagName.text === "example")?.getText() ?? "";
        return tag
            .replace(/^@example */, "")
            .replaceAll(/^ *\* ?/gm, "")
            .trimEnd();
    }

    private find(name: string): ts.Symbol {
        const symbol = this.exported.get(name);
        if (symbol === undefined) {
            throw new Error(`${ENTRIES.join(" and ")} export no ${name}.`);
        }
        return symbol;
    }

    private argumentsOf(type: ts.Type): Argument[] {
        return type.getProperties().map((property) => this.argument(property));
    }

    private argument(property: ts.Symbol): Argument {
        const declaration = property.declarations?.[0];
        if (declaration === undefined || !isTyped(declaration) || declaration.type === undefined) {
            throw new Error(`${property.name} is no property with a type.`);
        }
        const tags = new Map(property.getJsDocTags().map(({ name, text }) => [name, ts.displayPartsToString(text)]));
        const value = unwrapped(declaration.type);
        const given = defined(value);
        const named = this.declared(given);
        return {
            name: property.name,
            feature: basename(dirname(declaration.getSourceFile().fileName)),
            text: this.text(property),
            default: tags.has("default") ? oneLine(tags.get("default") ?? "") : undefined,
            required: declaration.questionToken === undefined && given === value,
            immediate: value === declaration.type,
            secret: tags.has("secret"),
            shape: inSeconds(taggedShape(given, tags) ?? this.shape(given, tags), this.text(property)),
            type: named && { name: named.name, text: this.text(named), file: fileOf(named) },
            choices: this.choices(named),
            fields: this.fields(named),
        };
    }

    private shape(node: ts.TypeNode, tags: Tags): Shape {
        const keyword = KEYWORDS[node.kind];
        if (keyword !== undefined) {
            return taggedKeyword(keyword, tags);
        }
        if (ts.isArrayTypeNode(node)) {
            return { list: this.shape(unwrapped(node.elementType), tags) };
        }
        if (ts.isTypeLiteralNode(node)) {
            const [member] = node.members;
            const value = ts.isIndexSignatureDeclaration(member) ? this.shape(unwrapped(member.type), tags) : undefined;
            return value === undefined || value === "any" ? "object" : { map: value };
        }
        return this.named(node as ts.TypeReferenceNode);
    }

    private named(node: ts.TypeReferenceNode): Shape {
        if (isKubernetesType(node)) {
            return "object";
        }
        const symbol = this.symbolOf(node);
        if (symbol.name === "Kubeconfig") {
            return "kubeconfig";
        }
        const choices = this.choices(symbol);
        if (choices.length > 0) {
            return { choice: choices.map(({ value }) => value) };
        }
        return { fields: Object.fromEntries(this.fields(symbol).map(({ name, shape }) => [name, shape])) };
    }

    /** The interface or constant of a value, or of the items of a list. */
    private declared(node: ts.TypeNode): ts.Symbol | undefined {
        if (ts.isArrayTypeNode(node)) {
            return this.declared(unwrapped(node.elementType));
        }
        const symbol = ts.isTypeReferenceNode(node) && !isKubernetesType(node) ? this.symbolOf(node) : undefined;
        const isNamed = symbol !== undefined && (isInterface(symbol) || constantOf(symbol) !== undefined);
        return isNamed ? symbol : undefined;
    }

    private fields(symbol: ts.Symbol | undefined): Argument[] {
        return symbol !== undefined && isInterface(symbol)
            ? this.argumentsOf(this.checker.getDeclaredTypeOfSymbol(symbol))
            : [];
    }

    private choices(symbol: ts.Symbol | undefined): Argument["choices"] {
        const members = symbol && constantOf(symbol)?.properties.filter(ts.isPropertyAssignment);
        return (members ?? []).map(({ initializer, name }) => {
            const member = this.checker.getSymbolAtLocation(name)!;
            return { name: member.name, value: (initializer as ts.StringLiteral).text, text: this.text(member) };
        });
    }

    private text(symbol: ts.Symbol): string {
        return oneLine(ts.displayPartsToString(symbol.getDocumentationComment(this.checker)));
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
    [ts.SyntaxKind.UnknownKeyword]: "any",
};

/** The module of a declaration, from the root. */
function fileOf({ declarations = [] }: ts.Symbol): string {
    const { fileName } = declarations[0].getSourceFile();
    return relative(ROOT, fileName).replace(/(\/index)?\.ts$/, "");
}

function isInterface({ flags }: ts.Symbol): boolean {
    return (flags & ts.SymbolFlags.Interface) !== 0;
}

/** The members of a constant such as `Placement`, which is the type of its values too. */
function constantOf({ declarations = [] }: ts.Symbol): ts.ObjectLiteralExpression | undefined {
    const initializer = declarations.find(ts.isVariableDeclaration)?.initializer;
    const object = initializer && ts.isAsExpression(initializer) ? initializer.expression : initializer;
    return object && ts.isObjectLiteralExpression(object) ? object : undefined;
}

function isTyped(node: ts.Node): node is ts.ParameterDeclaration | ts.PropertyDeclaration | ts.PropertySignature {
    return ts.isParameter(node) || ts.isPropertyDeclaration(node) || ts.isPropertySignature(node);
}

/** The type of a value without `Input`, `Output` and `readonly`. */
function unwrapped(node: ts.TypeNode): ts.TypeNode {
    if (ts.isTypeOperatorNode(node)) {
        return node.type;
    }
    const isWrapped = ts.isTypeReferenceNode(node) && ["Input", "pulumi.Output"].includes(node.typeName.getText());
    return isWrapped ? node.typeArguments![0] : node;
}

/** The type of a value that may be undefined. */
function defined(node: ts.TypeNode): ts.TypeNode {
    const members = ts.isUnionTypeNode(node) ? node.types : [node];
    return members.find(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword)!;
}

/** True for a type of @pulumi/kubernetes. The API server checks such a value. */
function isKubernetesType(node: ts.TypeReferenceNode): boolean {
    return node.typeName.getText().startsWith("types.input.");
}
