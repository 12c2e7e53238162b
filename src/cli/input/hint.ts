import type { DepthError, HttpError, NetworkError, PriceRequestError } from '../../errors/model.js'
import { matchError } from '../../errors/render.js'
import { deploymentFlags, type DeploymentFlag, type DeploymentFlagName } from './deployment-flags.js'
import { tokenInWords } from './token.js'

/** What to do next about a request that failed. `asked`: by which flag its address was given. */
export const hint = (error: PriceRequestError | DepthError, asked: DeploymentFlagName): string =>
  matchError(error, {
    InvalidTopic: () => `Give ${tokenInWords}.`,
    InvalidMint: () => `Give ${tokenInWords}.`,
    InvalidInterval: () => 'Give a longer --interval.',
    DecodeError: () =>
      `Check that ${spelled(deploymentFlags[asked])} is the service; if it is, report this to its operator.`,
    UnsupportedPair: () => 'Check the token, and --environment: a token has another address on each.',
    Unauthorized: () => `Check that ${spelled(deploymentFlags.authKey)} is the key of this service.`,
    HttpError: (failure) => httpHint(failure, deploymentFlags[asked]),
    NetworkError: (failure) => networkHint(failure, deploymentFlags[asked]),
    Timeout: () => 'Try again; if it stays so, the service, or something on the way to it, hangs.',
    ClientClosed: () => 'Try again: it was ended before the answer came.',
  })

const spelled = ({ flag, variable }: DeploymentFlag): string => `${flag} (${variable})`

const httpHint = ({ status, retryAfterMs }: HttpError, place: DeploymentFlag): string => {
  if (retryAfterMs !== undefined)
    return `Try again in ${Math.ceil(retryAfterMs / 1000)} s, as the service asks.`
  return status >= 500 || status === 429
    ? 'Try again later; if it stays so, report this to the operator of the service.'
    : `Check that ${spelled(place)} is the service, with the path that it lives at.`
}

const networkHint = ({ cause }: NetworkError, place: DeploymentFlag): string =>
  /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(cause.code ?? '')
    ? 'If you trust the authority that signed its certificate, name a file with that in NODE_EXTRA_CA_CERTS.'
    : `Check that the service runs, and that ${spelled(place)} is its address.`
