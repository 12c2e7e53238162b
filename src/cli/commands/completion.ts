import { Argument, type Command, type Option } from 'commander'
import { btc, eth } from '../../simulator/market/token-options.js'
import { print } from '../io.js'
import { defineCommand } from './shared/parts.js'

const examples = `
Examples:
  $ source <(svc-streams completion bash)
      Complete commands, flags, values and files in this shell; for zsh, write zsh. For every shell, add the line to ~/.bashrc,
      or to ~/.zshrc after compinit.
  $ npx svc-streams completion fish > ~/.config/fish/completions/svc-streams.fish
      Complete in every shell from now on.

The shell completes the command svc-streams, not npx svc-streams. For an installation in a project, add its folder of
commands to the path: PATH=$PWD/node_modules/.bin:$PATH

The script is made from the commands of the installed version.`

const shell = new Argument('<shell>', 'shell that reads the script').choices(['bash', 'zsh', 'fish'])

export const createCommand = defineCommand({
  examples,
  arguments: { argument: shell },
  flags: {},
  action: (io, { parent }, _flags, given) => {
    if (parent === null) throw new Error('completion is no command of a program')
    const commands = parent.createHelp().visibleCommands(parent)
    const command = commands.map((each) => each.name())
    const script = given === 'fish' ? fishScript : bashScript
    return print(script(parent, commands, { token: [eth.symbol, btc.symbol], command }), io.stdout)
  },
})

/** Words for arguments and values, by their name in the help, such as `token`. */
type WordsByName = Readonly<Partial<Record<string, readonly string[]>>>

/** The script for bash, version 3.2 and later, and for zsh. The shell itself completes the names of files. */
const bashScript = (program: Command, commands: readonly Command[], words: WordsByName): string => `\
# Completion of svc-streams for bash and zsh.
[[ -z $ZSH_VERSION ]] || { autoload -Uz bashcompinit && bashcompinit; }
_svc_streams() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' word
  # bash splits --flag=value into three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case $word in
      ${commands.map((command) => command.name()).join('|')}) command=$word; break ;;
    esac
  done
  case "$command $previous" in
${commands.flatMap((command) => bashValues(command, words)).join('\n')}
    *)
      case "$command $current" in
        ' -'*) words='${flagNames(program)}' ;;
        ' '*) words='${(words['command'] ?? []).join(' ')}' ;;
${commands.map((command) => bashCommand(command, words)).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc_streams svc-streams
`

/** The cases of the flags of a command that take a value. */
const bashValues = (command: Command, words: WordsByName): readonly string[] =>
  optionsOf(command).flatMap((option) => {
    const values = valuesOf(option, words)
    const patterns = namesOf(option).map((name) => `'${command.name()} ${name}'`)
    return values === undefined ? [] : [`    ${patterns.join('|')}) words='${values.join(' ')}' ;;`]
  })

const bashCommand = (command: Command, words: WordsByName): string => `\
        '${command.name()} -'*) words='${flagNames(command)}' ;;
        '${command.name()} '*) words='${argumentWords(command, words).join(' ')}' ;;`

const flagNames = (command: Command): string => optionsOf(command).flatMap(namesOf).join(' ')

const fishScript = (program: Command, commands: readonly Command[], words: WordsByName): string =>
  [
    '# Completion of svc-streams for fish.',
    ...optionsOf(program).map((option) => fishLine('__fish_use_subcommand', fishFlag(option, words))),
    ...commands.map((command) =>
      fishLine('__fish_use_subcommand', `-f -a ${command.name()} -d ${fishText(command.description())}`),
    ),
    ...commands.flatMap((command) => {
      const isGiven = `__fish_seen_subcommand_from ${command.name()}`
      const takesFiles = command.registeredArguments.some((argument) => argument.name() === 'file')
      const argument = takesFiles ? '-F' : `-f -a ${fishText(argumentWords(command, words).join(' '))}`
      return [argument, ...optionsOf(command).map((option) => fishFlag(option, words))].map((completion) =>
        fishLine(isGiven, completion),
      )
    }),
  ].join('\n') + '\n'

const fishLine = (condition: string, completion: string): string =>
  `complete -c svc-streams -n '${condition}' ${completion}`

const fishFlag = (option: Option, words: WordsByName): string => {
  const names = namesOf(option).map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  const values = valuesOf(option, words)
  const value =
    values === undefined ? [] : [values.length === 0 ? '-r -F' : `-x -a ${fishText(values.join(' '))}`]
  return [...names, ...value, `-d ${fishText(option.description)}`].join(' ')
}

const fishText = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

const optionsOf = (command: Command): readonly Option[] => command.createHelp().visibleOptions(command)

/** The spellings, such as `-o` and `--out`. */
const namesOf = ({ short, long }: Option): readonly string[] =>
  [short, long].filter((name) => name !== undefined)

/** The values to suggest for a flag; `undefined` for a flag without a value. */
const valuesOf = (option: Option, words: WordsByName): readonly string[] | undefined => {
  const name = /[<[](\w+)/.exec(option.flags)?.[1]
  return name === undefined ? undefined : (option.argChoices ?? words[name] ?? [])
}

const argumentWords = (command: Command, words: WordsByName): readonly string[] =>
  command.registeredArguments.flatMap(
    (argument: Argument) => argument.argChoices ?? words[argument.name()] ?? [],
  )
