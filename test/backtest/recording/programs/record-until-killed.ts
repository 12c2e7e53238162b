// Records a service with many events to the file in the first argument, until the process is killed.
import { createWriteStream } from 'node:fs'
import { createClient } from 'svc-streams'
import { record } from 'svc-streams/recording'
import { startSimulator } from 'svc-streams/simulator'

const service = await startSimulator({ tick: 1 })
const client = createClient({ environment: 'mainnet', ...service })
const mints = service.tokens.map(({ address }) => address)
record(client, {
  topics: mints.map((mint) => `svc-${mint}` as const),
  mints,
  interval: 5,
  to: createWriteStream(process.argv[2]!),
})
