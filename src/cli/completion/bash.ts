import type { CompletedCommand, CompletedFlag, CompletedProgram, CompletedValue } from './words.js'

/** The completion script for bash, version 3.2 and later. */
export const bashScript = ({ name, flags, commands }: CompletedProgram): string => {
  const names = commands.map((command) => command.name)
  const completeFunction = `_${name.replaceAll('-', '_')}`
  return `\
# Completion of ${name} for bash.
${completeFunction}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' files='' word
  COMPREPLY=()
  # bash splits --flag=value into three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      ${names.join('|')}) command=$word; break ;;
    esac
  done
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
    *)
      case "$command $current" in
        ' -'*) ${suggestFlags(flags)} ;;
        ' '*) ${suggestWords(names)} ;;
${commands.flatMap(commandCases).join('\n')}
      esac
      ;;
  esac
  if [[ $files ]]; then
    # readline itself completes a name that contains a backslash or a quote.
    compopt -o filenames -o default 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}

complete -F ${completeFunction} ${name}
`
}

/** The cases of the flags that take a value: one for each list of suggestions. */
const valueCases = ({ name, flags }: CompletedCommand): readonly string[] => {
  const patterns = new Map<string, string[]>()
  for (const { names, value } of flags) {
    if (value === undefined) continue
    const suggestion = suggest(value)
    const others = patterns.get(suggestion) ?? []
    patterns.set(suggestion, [...others, ...names.map((flag) => `'${name} ${flag}'`)])
  }
  return Array.from(patterns, ([suggestion, pattern]) => `    ${pattern.join('|')}) ${suggestion} ;;`)
}

const commandCases = ({ name, flags, argument }: CompletedCommand): readonly string[] => [
  `        '${name} -'*) ${suggestFlags(flags)} ;;`,
  ...(argument === undefined ? [] : [`        '${name} '*) ${suggest(argument)} ;;`]),
]

const suggestFlags = (flags: readonly CompletedFlag[]): string =>
  suggestWords(flags.flatMap(({ names }) => names))

const suggest = ({ suggested }: CompletedValue): string =>
  suggested === 'files' ? 'files=yes' : suggestWords(suggested)

const suggestWords = (words: readonly string[]): string => `words='${words.join(' ')}'`
