import { dirname, join } from "node:path";

import ts from "typescript";

export const ROOT = join(__dirname, "../../..");

/** Compiles with the compiler by which Pulumi runs programs in TypeScript, and with the package's sources. */
export class Compiler {
    private readonly options: ts.CompilerOptions;
    private readonly host: ts.CompilerHost;
    private readonly texts = new Map<string, string>();

    constructor() {
        const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
        const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
        this.options = { ...options, noEmit: true, noUnusedLocals: false };
        this.host = ts.createCompilerHost(this.options);
        const { fileExists, getSourceFile } = this.host;
        this.host.fileExists = (file) => this.texts.has(file) || fileExists(file);
        this.host.getSourceFile = (file, version, ...others) => {
            const text = this.texts.get(file);
            return text === undefined
                ? getSourceFile(file, version, ...others)
                : ts.createSourceFile(file, text, version);
        };
    }

    /** The program of a file of the package. */
    programOf(file: string): ts.Program {
        return ts.createProgram([join(ROOT, file)], this.options, this.host);
    }

    /** The errors of programs by their names, each with the line at which it occurs. */
    errorsOf(programs: Readonly<Record<string, string>>): string[] {
        const place = (name: string) => join(__dirname, `${name.replaceAll(/\W+/g, "-")}.ts`);
        const files = Object.entries(programs).map(([name, text]): [string, string] => [place(name), sourced(text)]);
        files.forEach(([file, text]) => this.texts.set(file, text));
        const program = ts.createProgram(
            files.map(([file]) => file),
            this.options,
            this.host,
        );
        const sources = files.map(([file]) => program.getSourceFile(file)!);
        return sources.flatMap((source) => {
            const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
            return found.map((each) => described(source, each));
        });
    }
}

/** The sources in place of the built package, which may be older. */
function sourced(text: string): string {
    return text
        .replaceAll('"flux-minicluster/policy"', '"../../../provider/policy"')
        .replaceAll('"flux-minicluster"', '"../../../components"');
}

function described(source: ts.SourceFile, { messageText, start = 0 }: ts.Diagnostic): string {
    const { line } = source.getLineAndCharacterOfPosition(start);
    const text = source.text.split("\n")[line].trim();
    return `${text}  // ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
}

/** The names of this package's types that the declarations of a type name, and of the types that those name. */
export function typesUsed(checker: ts.TypeChecker, symbol: ts.Symbol, known = new Set<string>()): Set<string> {
    for (const property of checker.getDeclaredTypeOfSymbol(symbol).getProperties()) {
        property.declarations?.forEach((declaration) => visit(declaration));
    }
    return known;

    /** A name for `any`, which a program has no need of. */
    function isAny(named: ts.Symbol): boolean {
        return (checker.getDeclaredTypeOfSymbol(named).flags & ts.TypeFlags.Any) !== 0;
    }

    function visit(node: ts.Node): void {
        const used = ts.isTypeReferenceNode(node) ? checker.getSymbolAtLocation(node.typeName) : undefined;
        const named = used && used.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(used) : used;
        if (named !== undefined && isOwn(named) && !isAny(named) && !known.has(named.name)) {
            known.add(named.name);
            typesUsed(checker, named, known);
        }
        ts.forEachChild(node, visit);
    }
}

function isOwn({ declarations = [], flags }: ts.Symbol): boolean {
    const folder = dirname(declarations[0]?.getSourceFile().fileName ?? "");
    return !folder.includes("node_modules") && folder.startsWith(ROOT) && !(flags & ts.SymbolFlags.TypeParameter);
}
