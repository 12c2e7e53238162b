import '../support/clock-jumps.js'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { Topic } from 'svc-streams'
import { natsClient, type NatsClientOptions } from 'svc-streams/nats'
import { blockEventLoop } from '../../support/time/event-loop.js'
import type { PriceLine } from '../support/lines.js'
import { observePrices } from '../support/observe-prices.js'
import { print, serveCommands } from '../support/serve-commands.js'

// Runs a consumer. The argument is the options of the client, as JSON. Commands select the topics. The program prints
// each event of these topics.

const client = natsClient({
  environment: 'mainnet',
  ...(JSON.parse(process.argv[2] ?? '{}') as Pick<NatsClientOptions, 'servers'>),
})
const subscriptions = new Map<Topic, Subscription>()

/** The time that each event takes, in ms. */
let slowness = 0

/** True from the first time on for which a command blocks the event loop. */
let isBlocked = false

const block = (ms: number): void => {
  isBlocked = true
  blockEventLoop(ms)
}

const onLine = (line: PriceLine): void => {
  print(line)
  if (slowness > 0) blockEventLoop(slowness)
}

serveCommands(
  client,
  (command) => {
    if ('subscribe' in command)
      subscriptions.set(command.subscribe, observePrices(client, command.subscribe, onLine))
    else if ('unsubscribe' in command) subscriptions.get(command.unsubscribe)?.unsubscribe()
    else if ('slowness' in command) slowness = command.slowness
    else if ('block' in command) {
      block(command.block)
      if (command.late !== undefined) observePrices(client, command.late as Topic, onLine)
    } else
      void client
        .depth(command.depth)()
        .then((result) =>
          isRight(result)
            ? print({ type: 'depth', tag: 'Right', message: String(result.right.price) })
            : print({ type: 'depth', tag: result.left._tag, message: result.left.message }),
        )
  },
  () => slowness > 0 || isBlocked,
)
