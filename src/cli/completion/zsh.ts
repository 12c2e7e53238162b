import { oneLine } from './one-line.js'
import type { CompletedCommand, CompletedFlag, CompletedProgram, CompletedValue } from './words.js'

/** The completion script for zsh: for a folder of `fpath`, and for `source` after `compinit`. */
export const zshScript = ({ name, flags, commands }: CompletedProgram): string => `\
#compdef ${name}
# Completion of ${name} for zsh.
_${name}() {
  local curcontext=$curcontext state line
  local -a commands
  _arguments -C ${flags.flatMap(flagSpecs).join(' ')} '1: :->command' '*:: :->arguments'
  case $state in
    command)
      commands=(
${commands.map(commandEntry).join('\n')}
      )
      _describe -t commands command commands
      ;;
    arguments)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`

const commandEntry = ({ name, description }: CompletedCommand): string =>
  `        ${quote(`${name}:${oneLine(description)}`)}`

const commandCase = ({ name, flags, argument }: CompletedCommand): string => {
  const specs = [
    ...flags.flatMap(flagSpecs),
    ...(argument === undefined ? [] : [quote(`*:${action(argument)}`)]),
  ]
  return `        ${name})
          _arguments \\
            ${specs.join(' \\\n            ')}
          ;;`
}

/** One specification per spelling. A flag is suggested once, unless it is repeatable. */
const flagSpecs = ({ names, description, value, isRepeatable }: CompletedFlag): readonly string[] =>
  names.map((name) => {
    const before = isRepeatable ? '*' : `(${names.join(' ')})`
    const separator = value === undefined ? '' : name.startsWith('--') ? '=' : '+'
    const text = oneLine(description).replace(/[[\]\\]/g, '\\$&')
    return quote(`${before}${name}${separator}[${text}]${value === undefined ? '' : `:${action(value)}`}`)
  })

/** The message and the action of a value. A space is the action that suggests nothing. */
const action = ({ name, suggested }: CompletedValue): string => {
  if (suggested === 'files') return `${name}:_files`
  return `${name}:${suggested.length === 0 ? ' ' : `(${suggested.join(' ')})`}`
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
