import type { ConfigurationError } from '../../errors/configuration-error.js'
import { deploymentFlags, withVariable, type DeploymentFlagName } from './deployment-flags.js'

/** The flag of an option: `--base-url` for `baseUrl`. */
export const flagName = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** The message of a `ConfigurationError` with flags instead of option names. */
export const flagErrorText = ({ option, message }: ConfigurationError): string => {
  const problem = message.slice(`${option}: `.length).replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, flagName)
  return `${isDeploymentFlag(option) ? withVariable(deploymentFlags[option]) : flagName(option)}: ${problem}`
}

const isDeploymentFlag = (option: string): option is DeploymentFlagName =>
  Object.hasOwn(deploymentFlags, option)
