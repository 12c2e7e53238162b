import type { DepthError, HttpError, NetworkError, PriceRequestError } from '../../errors/model.js'
import { matchError } from '../../errors/render.js'
import {
  deploymentFlags,
  withVariable,
  type DeploymentFlag,
  type DeploymentFlagName,
} from './deployment-flags.js'
import { tokenSyntax } from '../tokens/token-address.js'

/** The next step after a failed request. `addressFlag` is the flag that gives the address of the request. */
export const hint = (error: PriceRequestError | DepthError, addressFlag: DeploymentFlagName): string =>
  matchError(error, {
    InvalidTopic: () => `Give ${tokenSyntax}.`,
    InvalidMint: () => `Give ${tokenSyntax}.`,
    InvalidInterval: () => 'Set a longer --interval.',
    DecodeError: () =>
      `Check that ${withVariable(deploymentFlags[addressFlag])} is the address of the service. If it is, report this error to the operator of the service.`,
    UnsupportedPair: () =>
      'Check the token and --environment: a token has another address in each environment.',
    Unauthorized: () => keyHint,
    HttpError: (failure) => httpHint(failure, deploymentFlags[addressFlag]),
    NetworkError: (failure) => networkHint(failure, deploymentFlags[addressFlag]),
    Timeout: () => 'Try again. If it fails again, the service or the network does not respond.',
    ClientClosed: () => 'Try again. The client was closed before the response arrived.',
  })

/** The next step after the service rejected a signature. */
export const keyHint = `Check that ${withVariable(deploymentFlags.authKey)} is the key of the service at ${withVariable(deploymentFlags.baseUrl)}, in the right environment. The client has already corrected the clock offset.`

const httpHint = ({ status, retryAfterMs }: HttpError, flag: DeploymentFlag): string => {
  if (retryAfterMs !== undefined)
    return `Try again in ${Math.ceil(retryAfterMs / 1000)} s, as the service requests.`
  return status >= 500 || status === 429
    ? 'Try again later. If it fails again, report this to the operator of the service.'
    : `Check that ${withVariable(flag)} is the address of the service, with its path.`
}

const networkHint = ({ cause }: NetworkError, flag: DeploymentFlag): string =>
  /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(cause.code ?? '')
    ? 'If you trust the authority that signed the certificate, set NODE_EXTRA_CA_CERTS to a file that contains it.'
    : `Check that the service runs, and that ${withVariable(flag)} is its address.`
