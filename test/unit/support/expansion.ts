/**
 * Expands `$(NAME)` in commands, arguments and variables as Kubernetes does, to test the escapes.
 * @see https://github.com/kubernetes/kubernetes/blob/master/third_party/forked/golang/expansion/expand.go
 */
export function expand(input: string, variables: Readonly<Record<string, string>>): string {
    let text = "";
    let checkpoint = 0;
    for (let cursor = 0; cursor < input.length; cursor++) {
        if (input[cursor] === "$" && cursor + 1 < input.length) {
            text += input.slice(checkpoint, cursor);
            const { advance, isVariable, read } = tryReadVariableName(input.slice(cursor + 1));
            text += isVariable ? (variables[read] ?? `$(${read})`) : read;
            cursor += advance;
            checkpoint = cursor + 1;
        }
    }
    return text + input.slice(checkpoint);
}

interface Read {
    readonly read: string;
    readonly isVariable: boolean;
    readonly advance: number;
}

function tryReadVariableName(input: string): Read {
    if (input[0] === "$") {
        return { read: "$", isVariable: false, advance: 1 };
    }
    if (input[0] !== "(") {
        return { read: `$${input[0]}`, isVariable: false, advance: 1 };
    }
    const end = input.indexOf(")");
    return end === -1
        ? { read: "$(", isVariable: false, advance: 1 }
        : { read: input.slice(1, end), isVariable: true, advance: end + 1 };
}
