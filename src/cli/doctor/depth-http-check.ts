import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { defer, EMPTY, map, timeInterval } from 'rxjs'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { deploymentFlags, withVariable } from '../input/deployment-flags.js'
import { hint } from '../input/hint.js'
import { failed, passed, type Check } from './check.js'

/** An unsigned depth request, which the relayer API answers with 401, and a gateway with a depth. */
export const depthHttpCheck: Check = {
  name: 'depth over HTTP',
  interfaces: ({ relayer, isTestnet }) => {
    if (isTestnet) return left('testnet has no depth')
    return relayer === undefined
      ? left(`${withVariable(deploymentFlags.baseUrl)} is not set`)
      : right([relayer])
  },
  run$: (usable, { unsignedClient, relayer, token: { address } }) =>
    unsignedClient === undefined || relayer === undefined
      ? EMPTY
      : defer(unsignedClient.depth(address)).pipe(
          timeInterval(),
          map(({ value, interval }) => {
            if (isRight(value)) return passed(`answers without a signature, ${interval} ms`)
            const error = value.left
            if (error._tag === 'Unauthorized')
              return passed(`answers and requires a signature, ${interval} ms`)
            if (error._tag === 'UnsupportedPair') return passed(`answers, ${interval} ms`)
            return failed(printable(renderError(error)), hint(error, relayer.flag), usable)
          }),
        ),
}
