import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { simulateCommand } from './simulate.js'

/** The command `svc-streams`, with all of its subcommands. */
export const createProgram = (): Command =>
  new Command('svc-streams')
    .description('Tools for a trading service: live prices, order-book depth.')
    .version(packageVersion(), '-V, --version', 'print the version of the package')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addCommand(simulateCommand())

const packageVersion = (): string => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
