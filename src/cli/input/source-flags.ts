import { Option, type Command } from 'commander'
import { numberOption } from '../../option-kinds/number-option.js'
import { files } from './arguments.js'
import { addDeploymentFlags, deploymentFlags, type DeploymentFlags } from './deployment-flags.js'
import { numberFlag } from './number-flag.js'

/** The flags of a command that passes on a service, a simulator, a gateway or a recording. */
export interface SourceFlags extends DeploymentFlags {
  /** Files of one recording, in order. */
  readonly recording?: readonly string[]
  readonly speed: number
}

const speedOption = numberOption({
  above: 0,
  default: 1,
})

/** Adds the flags of the deployment, and those of a recording, to a command. `table`: with other help. */
export const addSourceFlags = (command: Command, table = deploymentFlags): Command =>
  addDeploymentFlags(command, table)
    .addOption(
      new Option(
        '--recording <file>',
        'play a recording instead, plain or gzip; repeat the flag for further files',
      ).argParser(files),
    )
    .addOption(numberFlag('--speed <factor>', 'playback speed of --recording as a factor', speedOption))
