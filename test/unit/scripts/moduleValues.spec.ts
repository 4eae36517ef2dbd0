import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import ts from "typescript";

const PROVIDER = join(__dirname, "../../../provider");

const OBJECT = "It says more of an object, and ends with it.";
const START = "It is set once, when a process starts.";

/** The only values of modules that may change. What belongs to an operation is kept by contract/operation.ts. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
    "contract/operation.ts holder": "It holds the operations themselves.",
    "contract/scriptText.ts texts": "A cache: the package's files don't change.",
    "host/cancel.ts cancelled": "The end of the process and of its engine.",
    "host/engine.ts connect": START,
    "host/program.ts isPlugin": START,
    "host/programAccess.ts isServed": "A process has one socket, for all its operations.",
    "host/shim.ts plugin": START,
    "kubernetes/failures/slowAnswer.ts listener": START,
    "kubernetes/kubeconfig/access.ts firstContexts": OBJECT,
    "kubernetes/kubeconfig/child.ts running": "The child processes that end with this process.",
    "kubernetes/kubeconfig/clusterAccess.ts ask": START,
    "kubernetes/kubeconfig/clusterAccess.ts warn": START,
    "kubernetes/kubeconfig/credentials.ts credentials": "A cache: each credential has an end of its own.",
    "kubernetes/kubeconfig/execPlugin.ts cancellation": START,
    "kubernetes/kubeconfig/rereadToken.ts rereads": OBJECT,
    "kubernetes/patient.ts limits": OBJECT,
    "remains/resource.ts hooks": "Names of hooks differ in the whole process.",
};

/** Methods that change their object, or an object that they get. */
const CHANGING = /^(?:add|assign|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift)$/;

/** The names of variables whose values a file changes: by a method, by `=`, `++` or `delete` of a part, by Object.assign. */
function changedIn(source: ts.SourceFile): Set<string> {
    const names = new Set<string>();
    const visit = (node: ts.Node): void => {
        const name = changedBy(node)
            .map(baseOf)
            .find((base) => base !== undefined);
        if (name !== undefined) {
            names.add(name);
        }
        ts.forEachChild(node, visit);
    };
    visit(source);
    return names;
}

/** The value that an expression changes, or a part of it: none or one. */
function changedBy(node: ts.Node): readonly ts.Expression[] {
    if (ts.isCallExpression(node)) {
        return changedByCall(node);
    }
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) {
        return partOf(node.left);
    }
    if (ts.isDeleteExpression(node)) {
        return partOf(node.expression);
    }
    return ts.isPostfixUnaryExpression(node) || (ts.isPrefixUnaryExpression(node) && isStep(node))
        ? partOf(node.operand)
        : [];
}

function isStep({ operator }: ts.PrefixUnaryExpression): boolean {
    return operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken;
}

function changedByCall({ arguments: [first], expression: called }: ts.CallExpression): readonly ts.Expression[] {
    if (!ts.isPropertyAccessExpression(called) || !CHANGING.test(called.name.text)) {
        return [];
    }
    const isAssign = ts.isIdentifier(called.expression) && called.expression.text === "Object";
    return isAssign ? [first] : [called.expression];
}

/** A variable as a whole changes only by `let`, which counts by itself. */
function partOf(expression: ts.Expression): readonly ts.Expression[] {
    return ts.isIdentifier(expression) ? [] : [expression];
}

/** The variable whose value, or a part of it, this is. */
function baseOf(of: ts.Expression): string | undefined {
    if (ts.isPropertyAccessExpression(of) || ts.isElementAccessExpression(of) || ts.isNonNullExpression(of)) {
        return baseOf(of.expression);
    }
    if (ts.isParenthesizedExpression(of) || ts.isAsExpression(of)) {
        return baseOf(of.expression);
    }
    return ts.isIdentifier(of) ? of.text : undefined;
}

function isAssignment(kind: ts.SyntaxKind): boolean {
    return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** Names in one file that another file imports, by their names there. */
function importedBy(source: ts.SourceFile): Map<string, string> {
    const found = source.statements.flatMap((statement) => {
        const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
        return bindings !== undefined && ts.isNamedImports(bindings) ? [...bindings.elements] : [];
    });
    return new Map(found.map(({ name, propertyName }) => [name.text, (propertyName ?? name).text]));
}

/** The values of modules that change: `file name`, for variables of `let`, changed constants and static fields. */
function changing(files: ReadonlyMap<string, string>): string[] {
    const sources = [...files].map(([file, text]) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
    const changed = new Map(sources.map((source) => [source.fileName, changedIn(source)]));
    const changedElsewhere = new Set(
        sources.flatMap((source) => {
            const names = importedBy(source);
            return [...(changed.get(source.fileName) ?? [])].flatMap((name) => names.get(name) ?? []);
        }),
    );
    const isChanged = (file: string, name: string) => changed.get(file)?.has(name) || changedElsewhere.has(name);
    return sources.flatMap(({ fileName, statements }) =>
        statements.flatMap((statement) => {
            if (ts.isVariableStatement(statement)) {
                const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
                const names = statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
                return names.filter((name) => !isConst || isChanged(fileName, name)).map((of) => `${fileName} ${of}`);
            }
            const members = ts.isClassDeclaration(statement) ? [...statement.members] : [];
            const fields = members.filter((member) => ts.isPropertyDeclaration(member) && isStatic(member));
            return fields.map((field) => `${fileName} ${(field.name as ts.Identifier).text}`);
        }),
    );
}

function namesIn(name: ts.BindingName): string[] {
    return ts.isIdentifier(name)
        ? [name.text]
        : name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

function isStatic(member: ts.ClassElement): boolean {
    return ts.canHaveModifiers(member) && (ts.getModifiers(member) ?? []).some(isStaticKeyword);
}

function isStaticKeyword({ kind }: ts.Modifier): boolean {
    return kind === ts.SyntaxKind.StaticKeyword;
}

describe("the values of the provider's modules", () => {
    const files = globSync("**/*.ts", { cwd: PROVIDER }).map((file) => join(PROVIDER, file));
    const texts = new Map(files.map((file) => [relative(PROVIDER, file), readFileSync(file, "utf8")]));

    it("change in no module but those with a reason: an operation has one memory, in contract/operation.ts", () =>
        assert.deepEqual(changing(texts).sort(), Object.keys(EXCEPTIONS)));

    const DEFECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
        "a variable": { "a.ts": "let name = 1;" },
        "a map": { "a.ts": "const name = new Map();\nfunction f() { name.set(1, 2); }" },
        "a list": { "a.ts": "const name: string[] = [];\nexport function f() { name.push(''); }" },
        "a part of an object": { "a.ts": "const name = { of: { all: 0 } };\nfunction f() { name.of.all++; }" },
        "an element": { "a.ts": "const name: any = {};\nfunction f() { name[1] ??= 2; delete name[3]; }" },
        "an object of another type": { "a.ts": "const name = {};\nfunction f() { (name as any).of = 1; }" },
        "an object that gets other fields": {
            "a.ts": "const name = {};\nconst f = () => Object.assign(name, { a: 1 });",
        },
        "one of two variables": { "a.ts": "const { name, other } = { name: [1], other: [2] };\nname.sort();" },
        "a map that another file fills": {
            "a.ts": "export const name = new Map();",
            "b.ts": 'import { name as other } from "./a";\nother.clear();',
        },
        "a static field": { "a.ts": "class A { static name = 0; }" },
    };
    Object.entries(DEFECTS).forEach(([defect, given]) =>
        it(`are found to change: ${defect}`, () =>
            assert.deepEqual(changing(new Map(Object.entries(given))), ["a.ts name"])),
    );

    it("may be constant sets and maps, also with a variable of the same name in a function", () => {
        const text =
            "const NAMES = new Set(['a']);\nfunction f() { const all = new Set(); all.add(!NAMES.has('a') && -NAMES.size); }";
        assert.deepEqual(changing(new Map([["a.ts", text]])), []);
    });
});
