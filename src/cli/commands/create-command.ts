import { Command } from 'commander'

/** A command with the help that all commands have in common. `examples` follows the list of options. */
export const createCommand = (name: string, description: string, examples: string): Command =>
  new Command(name)
    .description(description)
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError(`Try: svc-streams ${name} --help`)
