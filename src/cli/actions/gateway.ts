import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, merge } from 'rxjs'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { startGateway, type Gateway, type GatewayOptions } from '../../gateway/index.js'
import { rxClock } from '../../time/rx-clock.js'
import { usageError } from '../input/deployment.js'
import {
  gatewayErrorText,
  gatewayServerOptions,
  type GatewayServerFlags,
} from '../input/gateway-server-options.js'
import { withSource, type Source } from '../input/source.js'
import type { SourceFlags } from '../input/source-flags.js'
import { listenFailure } from '../outcome/listen-failure.js'
import { recordingFailure$ } from '../outcome/recording-failure.js'
import { connectionLines$ } from '../output/connection-lines.js'
import { formatTime } from '../output/format.js'
import { gatewaySummary } from '../output/gateway-summary.js'
import { interrupted } from '../stop.js'

/** The flags, as commander names and parses them. */
export interface GatewayFlags extends SourceFlags, GatewayServerFlags {}

/** Serves the selected source until the user stops the command. */
export const serveGateway = async (command: Command, flags: GatewayFlags): Promise<void> => {
  const options = gatewayServerOptions(flags)
  if (isLeft(options)) return usageError(command, options.left)
  await withSource(command, async (source) => {
    await using gateway = await start(command, source, options.right)
    const stopped$ = from(interrupted())
    process.stdout.write(summary(gateway, source, options.right))
    const lines = connectionLines$(source.client.status$).subscribe(log)
    const failure$ = recordingFailure$(source, () => log('The recording has ended. Press Ctrl-C to stop.'))
    await firstValueFrom(merge(stopped$, failure$)).finally(() => lines.unsubscribe())
  })
}

const start = (command: Command, { client, service }: Source, options: GatewayOptions): Promise<Gateway> =>
  startGateway(client, { ...options, service }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return usageError(command, gatewayErrorText(error))
    throw listenFailure(error)
  })

const summary = ({ baseUrl }: Gateway, source: Source, { host, keys }: GatewayOptions): string =>
  gatewaySummary({
    baseUrl,
    source,
    keyNames: keys === undefined ? undefined : Object.keys(keys),
    isShared: host === '0.0.0.0' || host === '::',
  })

const log = (line: string): void => {
  process.stderr.write(`${formatTime(rxClock.wallClock())} ${line}\n`)
}
