const { firstValueFrom } = require('rxjs')
const { createClient } = require('svc-streams')
const { lefts, rights } = require('svc-streams/operators')
const { startSimulator } = require('svc-streams/simulator')

const main = async () => {
  const simulator = await startSimulator({ tokens: ['0xAb'], seed: 7, tick: 20 })
  const client = createClient({ environment: 'mainnet', ...simulator })

  const [price, depth, error] = await Promise.all([
    firstValueFrom(client.price$('svc-0xAb').pipe(rights())),
    firstValueFrom(client.depth$('0xAb', 1000).pipe(rights())),
    firstValueFrom(client.price$('svc-0xcd').pipe(lefts())),
  ])
  await client.close()
  await simulator.close()

  // Without options the simulator plays the recorded market of the package.
  const market = await startSimulator()
  const reader = createClient({ environment: 'mainnet', ...market })
  const recorded = await reader.price('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1')()
  await Promise.all([reader.close(), market.close()])

  console.log(JSON.stringify({ price, depth, error: error._tag, recorded: recorded.right?.price }))
}

void main()
