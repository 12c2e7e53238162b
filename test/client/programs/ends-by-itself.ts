import { firstValueFrom } from 'rxjs'
import { createClient } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'

// Does not call process.exit(): the process ends only if close() leaves no open handle.
await using simulator = await startSimulator()
await using client = createClient({ environment: 'mainnet', ...simulator })
const token = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
client.depth$(token, 10).subscribe()
await firstValueFrom(client.price$(`svc-${token}`))
await client.price(`svc-${token}`)()
await client.close()
console.log('closed')
