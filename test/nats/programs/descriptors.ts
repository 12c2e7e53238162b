import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRight } from 'fp-ts/lib/Either.js'
import { concat, filter, firstValueFrom, NEVER, of, tap } from 'rxjs'
import { natsClient, startNatsGateway } from 'svc-streams/nats'
import { createTestClient, price } from 'svc-streams/testing'
import { ethTopic } from '../../support/tokens.js'

// A client and a gateway that start without free file descriptors. There are some from the first `Disconnected` on. The
// argument is the address of the NATS server. The program ends when both are connected.

const [, , servers = ''] = process.argv
const files: number[] = []

const occupyAll = (): void => {
  try {
    for (;;) files.push(openSync('/dev/null', 'r'))
  } catch {
    // There are none.
  }
}

occupyAll()
const client = natsClient({ environment: 'mainnet', servers })
// The consumer may follow either gateway.
const upstream = createTestClient({ prices: { [ethTopic]: concat(of(price(ethTopic, 1)), NEVER) } })
const starting = startNatsGateway(upstream, { servers })
const price$ = client.price$(ethTopic).pipe(
  tap((event) => {
    console.log(isRight(event) ? 'price' : event.left.message)
    for (const file of files.splice(0)) closeSync(file)
  }),
)
await firstValueFrom(price$.pipe(filter(isRight)))
const gateway = await starting
while (!gateway.inspect().isConnected) await sleep(10)
await Promise.all([client.close(), gateway.close()])
