import { Argument, type Command } from 'commander'
import type { Io } from '../io.js'
import { createCommand } from './parts.js'

const examples = `
Examples:
  $ npx svc-streams init prices
      Write a project to the folder prices.
  $ cd prices && npm install && npm start
      Run its strategy on a local simulator. pnpm and Bun run the same scripts.
  $ npm test
      Run the test of the strategy.

The project has a strategy, a test of it with marbles, strict types and a .gitignore. The command overwrites no file: if one
of its files exists, it writes nothing.

Exit codes: 0 if the project was written, 1 otherwise.`

export const initCommand = (io: Io): Command => {
  const command = createCommand(
    io,
    'init',
    'Write a project that runs: a strategy and its test.',
    examples,
  ).addArgument(
    new Argument('[folder]', 'folder of the project; it is created if it is missing').default(
      '.',
      'this folder',
    ),
  )
  return command.action(async (folder: string) => {
    const { writeProject } = await import('../actions/init.js')
    await writeProject(io, folder)
  })
}
