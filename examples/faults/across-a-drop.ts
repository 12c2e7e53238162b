import { combineLatest, retry, scan, skip, take } from 'rxjs'
import { createClient } from 'svc-streams'
import { orThrow, rights } from 'svc-streams/operators'
import { startSimulator } from 'svc-streams/simulator'

const service = await startSimulator({ tick: 50 })
const client = createClient({ environment: 'mainnet', ...service })
const eth$ = client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1')
const btc$ = client.price$('svc-0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f')
const counted = scan((count: number) => count + 1, 0)

const counts = { values: 0, errors: 0, both: 'continues' }
eth$.pipe(rights(), counted).subscribe((count) => (counts.values = count))
eth$.pipe(orThrow(), counted, retry({ delay: 500 })).subscribe((count) => (counts.errors = count))
combineLatest([eth$.pipe(orThrow()), btc$.pipe(orThrow())]).subscribe({
  error: () => (counts.both = 'ended'),
})

eth$.pipe(skip(9), take(1)).subscribe(() => service.dropConnections())
await eth$.pipe(rights(), skip(39), take(1)).forEach(() => undefined)
console.log(`as values: ${counts.values}; as errors: ${counts.errors}; both tokens combined: ${counts.both}`)
await client.close()
await service.close()
