import type { Argument, Command, Option } from 'commander'
import { recordedMarket } from '../../simulator/index.js'
import { print, type Io } from '../io.js'
import { quotedWord } from '../output/shell-word.js'

export type Shell = 'bash' | 'zsh' | 'fish'

export const printCompletion = (io: Io, program: Command, shell: Shell): Promise<void> => {
  const token = recordedMarket().tokens.map(({ symbol }) => symbol)
  return print(scripts[shell](completedProgram(program, { token })), io.stdout)
}

/** The completion script for bash, version 3.2 and later. */
const bashScript = ({ name, flags, commands }: CompletedProgram): string => {
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
${commands.flatMap(bashValues).join('\n')}
    *)
      case "$command $current" in
        ' -'*) ${suggestFlags(flags)} ;;
        ' '*) ${suggestWords(names)} ;;
${commands.flatMap(bashCommand).join('\n')}
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
const bashValues = ({ name, flags }: CompletedCommand): readonly string[] => {
  const patterns = new Map<string, string[]>()
  for (const { names, value } of flags) {
    if (value === undefined) continue
    const suggestion = suggest(value)
    const others = patterns.get(suggestion) ?? []
    patterns.set(suggestion, [...others, ...names.map((flag) => `'${name} ${flag}'`)])
  }
  return Array.from(patterns, ([suggestion, pattern]) => `    ${pattern.join('|')}) ${suggestion} ;;`)
}

const bashCommand = ({ name, flags, argument }: CompletedCommand): readonly string[] => [
  `        '${name} -'*) ${suggestFlags(flags)} ;;`,
  ...(argument === undefined ? [] : [`        '${name} '*) ${suggest(argument)} ;;`]),
]

const suggestFlags = (flags: readonly CompletedFlag[]): string =>
  suggestWords(flags.flatMap(({ names }) => names))

const suggest = ({ suggested }: CompletedValue): string =>
  suggested === 'files' ? 'files=yes' : suggestWords(suggested)

const suggestWords = (words: readonly string[]): string => `words='${words.join(' ')}'`

/** The completion script for zsh: for a folder of `fpath`, and for `source` after `compinit`. */
const zshScript = ({ name, flags, commands }: CompletedProgram): string => `\
#compdef ${name}
# Completion of ${name} for zsh.
_${name}() {
  local curcontext=$curcontext state line
  local -a commands
  _arguments -C ${flags.flatMap(zshFlags).join(' ')} '1: :->command' '*:: :->arguments'
  case $state in
    command)
      commands=(
${commands.map(zshEntry).join('\n')}
      )
      _describe -t commands command commands
      ;;
    arguments)
      case $words[1] in
${commands.map(zshCase).join('\n')}
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

const zshEntry = ({ name, description }: CompletedCommand): string =>
  `        ${quotedWord(`${name}:${oneLine(description)}`)}`

const zshCase = ({ name, flags, argument }: CompletedCommand): string => {
  const specs = [
    ...flags.flatMap(zshFlags),
    ...(argument === undefined ? [] : [quotedWord(`*:${zshAction(argument)}`)]),
  ]
  return `        ${name})
          _arguments \\
            ${specs.join(' \\\n            ')}
          ;;`
}

/** One specification per spelling. A flag is suggested once, unless it is repeatable. */
const zshFlags = ({ names, description, value, isRepeatable }: CompletedFlag): readonly string[] =>
  names.map((name) => {
    const before = isRepeatable ? '*' : `(${names.join(' ')})`
    const separator = value === undefined ? '' : name.startsWith('--') ? '=' : '+'
    const text = oneLine(description).replace(/[[\]\\]/g, '\\$&')
    return quotedWord(
      `${before}${name}${separator}[${text}]${value === undefined ? '' : `:${zshAction(value)}`}`,
    )
  })

/** The message and the action of a value. A space is the action that suggests nothing. */
const zshAction = ({ name, suggested }: CompletedValue): string => {
  if (suggested === 'files') return `${name}:_files`
  return `${name}:${suggested.length === 0 ? ' ' : `(${suggested.join(' ')})`}`
}

const fishScript = ({ name, flags, commands }: CompletedProgram): string => {
  const isCommand = `__${name.replaceAll('-', '_')}_command_is`
  const complete = (command: string, ...args: readonly string[]): string =>
    `complete -c ${name} -n ${fishQuote(`${isCommand} '${command}'`)} ${args.join(' ')}`
  return `\
# Completion of ${name} for fish.
# Succeeds if the command line contains this command; for an empty argument, if it contains none.
function ${isCommand}
  for word in (commandline -opc)[2..-1]
    if not string match -q -- '-*' $word
      test $word = "$argv[1]"
      return
    end
  end
  test -z "$argv[1]"
end

complete -c ${name} -f
${flags.map((flag) => complete('', fishFlag(flag))).join('\n')}
${commands.map((command) => complete('', `-a ${command.name} -d ${fishQuote(oneLine(command.description))}`)).join('\n')}
${commands
  .flatMap((command) => [
    ...command.flags.map((flag) => complete(command.name, fishFlag(flag))),
    ...(command.argument === undefined ? [] : [complete(command.name, fishValue(command.argument))]),
  ])
  .join('\n')}
`
}

const fishFlag = ({ names, description, value }: CompletedFlag): string => {
  const spellings = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  const values = value === undefined ? [] : ['-r', fishValue(value)]
  return [...spellings, ...values, `-d ${fishQuote(oneLine(description))}`].join(' ')
}

const fishValue = ({ suggested }: CompletedValue): string => {
  if (suggested === 'files') return '-F'
  return suggested.length === 0 ? '-f' : `-f -a ${fishQuote(suggested.join(' '))}`
}

const fishQuote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

const scripts: Readonly<Record<Shell, (program: CompletedProgram) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

// The completions of a shell, derived from the commands, so that no list is maintained by hand.

interface CompletedProgram {
  readonly name: string
  readonly flags: readonly CompletedFlag[]
  readonly commands: readonly CompletedCommand[]
}

interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly flags: readonly CompletedFlag[]
  readonly argument: CompletedValue | undefined
}

interface CompletedFlag {
  /** The spellings, such as `-o` and `--out`. */
  readonly names: readonly string[]
  readonly description: string
  readonly value: CompletedValue | undefined
  readonly isRepeatable: boolean
}

interface CompletedValue {
  readonly name: string
  /** The values to suggest: `files` of the working directory, or these words. No words: any text, such as a URL. */
  readonly suggested: 'files' | readonly string[]
}

/** Words for arguments and values, by their name in the help, such as `token`. */
type WordsByName = Readonly<Partial<Record<string, readonly string[]>>>

const completedProgram = (program: Command, words: WordsByName): CompletedProgram => {
  const commands = program.createHelp().visibleCommands(program)
  const withCommands = { ...words, command: commands.map((command) => command.name()) }
  return {
    name: program.name(),
    flags: flagsOf(program, withCommands),
    commands: commands.map((command) => completedCommand(command, withCommands)),
  }
}

const completedCommand = (command: Command, words: WordsByName): CompletedCommand => ({
  name: command.name(),
  description: command.description(),
  flags: flagsOf(command, words),
  argument: command.registeredArguments.map((argument) => argumentValue(argument, words)).at(-1),
})

const argumentValue = (argument: Argument, words: WordsByName): CompletedValue =>
  completedValue(argument.name(), argument.argChoices, words)

const flagsOf = (command: Command, words: WordsByName): readonly CompletedFlag[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: option.description,
      value: flagValue(option, words),
      isRepeatable: option.variadic,
    }))

const flagValue = (option: Option, words: WordsByName): CompletedValue | undefined => {
  const name = /[<[](\w+)/.exec(option.flags)?.[1]
  return name === undefined ? undefined : completedValue(name, option.argChoices, words)
}

const completedValue = (
  name: string,
  choices: readonly string[] | undefined,
  words: WordsByName,
): CompletedValue => ({
  name,
  suggested: choices ?? words[name] ?? (name === 'file' ? 'files' : []),
})

/** A description as one line without control characters. */
const oneLine = (description: string): string => description.replace(/\s+/g, ' ').trim()
