import type { Argument, Command, Option } from 'commander'

/** The shells that can complete the command line. */
export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

// What a shell can complete, derived from the commands, so that no list of them is maintained by hand.

export interface CompletedProgram {
  readonly name: string
  readonly flags: readonly CompletedFlag[]
  readonly commands: readonly CompletedCommand[]
}

export interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly flags: readonly CompletedFlag[]
  /** Undefined if the command takes no argument. */
  readonly argument: CompletedValue | undefined
}

export interface CompletedFlag {
  /** The spellings, such as `-o` and `--out`. */
  readonly names: readonly string[]
  readonly description: string
  /** Undefined if the flag takes no value. */
  readonly value: CompletedValue | undefined
  readonly isRepeatable: boolean
}

export interface CompletedValue {
  /** The name in the help, such as `file`. */
  readonly name: string
  /** The values to suggest: `files` of the working directory, or these words. No words: any text, such as a URL. */
  readonly suggested: 'files' | readonly string[]
}

/** Words for arguments and values by the name that the help gives to them, such as `token`. */
export type WordsByName = Readonly<Partial<Record<string, readonly string[]>>>

export const completedProgram = (program: Command, words: WordsByName): CompletedProgram => {
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
export const oneLine = (description: string): string => description.replace(/\s+/g, ' ').trim()
