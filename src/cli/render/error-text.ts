import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { DepthError, PriceError, PriceRequestError } from '../../base/errors/model.js'
import { printable } from '../../base/errors/text.js'
import { withVariable, type DeploymentFlagName } from '../target/source-flags.js'
import { docsUrl } from '../manifest.js'
import { systemText } from './file-problem.js'

interface TaggedError {
  readonly _tag: string
  readonly message: string
}

/** The text of an error for people. Its `_tag` is for programs: it is in the output of `--json`. */
export const errorText = (error: TaggedError): string => printable(error.message)

/** The failure of a command by an error: its text, and the heading of the guide that explains it. */
export const failureOf = (error: TaggedError): Error => new Error(errorLine(error))

/** The value of a result. Throws the failure of a command for an error. */
export const orFail = <A>(result: Either<TaggedError, A>): A => {
  if (isLeft(result)) throw failureOf(result.left)
  return result.right
}

export const errorLine = (error: TaggedError): string => `${errorText(error)}; ${seeGuide(error)}`

/** The page of an error, and its heading: `see https://…/docs/reference/errors.md#stale`. */
export const seeGuide = ({ _tag }: { readonly _tag: string }): string =>
  `see ${docsUrl('reference/errors.md')}#${_tag.toLowerCase()}`

/** The failure of a command that removes what it has written. The system's message about a full disk names no file. */
export const writeFailure = (path: string, thrown: unknown): Error => {
  const { code = '' } = thrown as NodeJS.ErrnoException
  const advice = fullDisk.has(code) ? 'free space on the disk, or give another folder' : 'give another folder'
  return new Error(
    `nothing was written, because ${path} cannot be written (${systemText(thrown)}); ${advice}`,
  )
}

/** The disk, the quota of the user, or the largest file that the system permits. */
export const fullDisk: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The next step after a failed request. `addressFlag` is the flag that gives the address of the request. */
export const hint = (
  error: PriceError | PriceRequestError | DepthError,
  addressFlag: DeploymentFlagName,
): string => {
  const server = serverName(addressFlag)
  if (error._tag === 'UnsupportedPair')
    return 'Check the token and --environment: a token has another address in each environment.'
  if (error._tag === 'Unauthorized') return keyHint(addressFlag)
  if (isRefused(error))
    return `Try again later. If it fails again, report this to the operator of the ${server}.`
  if (
    error._tag === 'NetworkError' &&
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(error.cause.code ?? '')
  )
    return 'If you trust the authority that signed the certificate, set NODE_EXTRA_CA_CERTS to a file that contains it.'
  return error._tag === 'Timeout'
    ? `Try again. If it fails again, the ${server} or the network does not respond.`
    : addressHint(addressFlag)
}

/** True if the server has answered, but not now: a status of a request or of a WebSocket that it refuses. */
const isRefused = (error: PriceError | PriceRequestError | DepthError): boolean =>
  error._tag === 'HttpError'
    ? error.status >= 500 || error.status === 429
    : error._tag === 'Disconnected' && /response: (?:5\d\d|429)$/.test(error.reason)

const serverName = (addressFlag: DeploymentFlagName): 'gateway' | 'service' =>
  addressFlag === 'gateway' || addressFlag === 'nats' ? 'gateway' : 'service'

/** The next step after a signature was rejected, or was missing in a request to a gateway. */
export const keyHint = (addressFlag: DeploymentFlagName): string =>
  addressFlag === 'gateway'
    ? `Set ${withVariable('authKey')} to one of the keys of the gateway at ${withVariable('gateway')}${withAccess}.`
    : `Check that ${withVariable('authKey')} is the key of the service at ${withVariable('baseUrl')}, in the right environment. The client has already corrected the clock offset.`

/** The next step after a server did not answer, or not as expected. */
export const addressHint = (addressFlag: DeploymentFlagName): string =>
  `Check that the ${serverName(addressFlag)} runs, and that ${withVariable(addressFlag)} is its address${addressFlag === 'gateway' ? withAccess : ''}.`

const withAccess = ', with ?access_token=… if it needs one'
