import { GatewayError } from '../../gateway/index.js'
import { flagName } from '../input/flag-error.js'

/** The failure of a command whose server cannot listen, with its flag. Any other failure is unchanged. */
export const listenFailure = (thrown: unknown): unknown =>
  thrown instanceof GatewayError ? new Error(`${flagName(thrown.option)}: ${thrown.problem}`) : thrown
