import type { ConfigurationError } from '../../errors/configuration-error.js'
import { deploymentFlags, type DeploymentFlagName } from './deployment-flags.js'

/** What the client says of its options, in terms of the flags that they came from. */
export const configurationProblem = ({ option, message }: ConfigurationError): string => {
  const problem = message.slice(`${option}: `.length).replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, flagOf)
  return `${isPlace(option) ? `${deploymentFlags[option].flag} (${deploymentFlags[option].variable})` : flagOf(option)}: ${problem}`
}

const isPlace = (option: string): option is DeploymentFlagName => Object.hasOwn(deploymentFlags, option)

/** The client's option as the command line spells it. */
const flagOf = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
