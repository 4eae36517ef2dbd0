/** The programs whose words are completed. */
const NAMES = "minicluster flux-minicluster";

/**
 * What each shell runs to complete a word. They all call `__complete`, whose lines have a word and its meaning; the last
 * line is :0 if the shell is to offer files, else :4, as with kubectl's plugins.
 */
export const SCRIPTS: Readonly<Record<string, string>> = {
    bash: `_minicluster() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default ;;
      :*) ;;
      *)
        COMPREPLY+=("\${line%%$'\\t'*}")
        [[ \${COMPREPLY[-1]} != *: ]] || compopt -o nospace
        ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _minicluster ${NAMES}
`,
    zsh: `#compdef ${NAMES}
_minicluster() {
  local line
  local -a offered
  for line in "\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :0) _files ;;
      :*|'') ;;
      *:$'\\t'*) compadd -S '' -- "\${line%%$'\\t'*}" ;;
      *) offered+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( \${#offered} )) && _describe '' offered
}
compdef _minicluster ${NAMES}
`,
    fish: `function __minicluster_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    for line in ($words[1] __complete $words[2..] "$last" 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path "$last"
            case ':*'
            case '*'
                echo $line
        end
    end
end
${NAMES.split(" ")
    .map((name) => `complete -c ${name} -f -a '(__minicluster_complete)'\n`)
    .join("")}`,
};
