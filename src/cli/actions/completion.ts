import type { Command } from 'commander'
import { recordedMarket } from '../../simulator/index.js'
import { bashScript } from '../completion/bash.js'
import { fishScript } from '../completion/fish.js'
import type { Shell } from '../completion/shells.js'
import { completedProgram, type CompletedProgram } from '../completion/words.js'
import { zshScript } from '../completion/zsh.js'
import { print } from '../output/stdout.js'

const scripts: Readonly<Record<Shell, (program: CompletedProgram) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Prints the completion script of a shell. */
export const printCompletion = (program: Command, shell: Shell): Promise<void> => {
  const token = recordedMarket().tokens.map(({ symbol }) => symbol)
  return print(scripts[shell](completedProgram(program, { token })))
}
