import { isRight, left } from 'fp-ts/lib/Either.js'
import { defer, EMPTY, map } from 'rxjs'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { deploymentFlags, withVariable } from '../input/deployment-flags.js'
import { hint } from '../input/hint.js'
import { failed, passed, type Check } from './check.js'
import { depthHttpCheck } from './depth-http-check.js'

/** A signed depth request. */
export const signatureCheck: Check = {
  name: 'signature',
  interfaces: (target) =>
    target.relayer?.flag === 'nats'
      ? left('the gateway signs')
      : target.relayer !== undefined && target.signingClient === undefined
        ? left(`${withVariable(deploymentFlags.authKey)} is not set`)
        : depthHttpCheck.interfaces(target),
  run$: (usable, { signingClient, relayer, token: { address, symbol } }) =>
    signingClient === undefined || relayer === undefined
      ? EMPTY
      : defer(signingClient.depth(address)).pipe(
          map((depth) => {
            if (isRight(depth)) return passed(`accepted, for the depth of ${symbol}`)
            if (depth.left._tag === 'UnsupportedPair') return passed('accepted')
            return failed(printable(renderError(depth.left)), hint(depth.left, relayer.flag), usable)
          }),
        ),
}
