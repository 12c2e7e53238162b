import { describeUnless } from '../run/skip.js'
import { findNatsServer } from './find-nats-server.js'

/** The path of `nats-server`, or the reason for which there is none. */
const found = await findNatsServer().then(
  (path) => ({ path }),
  (error: unknown) => ({ reason: error instanceof Error ? error.message : String(error) }),
)

const missing =
  'reason' in found ? `no nats-server, neither in PATH nor from Debian's package: ${found.reason}` : undefined

// A skipped test must not look like a passed one in CI.
if (missing !== undefined && process.env['CI'] !== undefined) throw new Error(missing)

/** The path of the program `nats-server`. */
export const natsServer = 'path' in found ? found.path : ''

/** `describe` of tests that need a NATS server. They are skipped on a machine without one, except in CI. */
export const describeNats = describeUnless(missing)
