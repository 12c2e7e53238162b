// From the start of a program to its first price. Prints its times in ms. `uses-rxjs`: the program has imported RxJS.
const [, , client, url, option] = process.argv

const topic = `svc-0x${'1'.repeat(40)}`

const byHand = async () => {
  const { WebSocket } = await import('ws')
  return (onPrice) => {
    const handlers = new Map([[topic, onPrice]])
    const socket = new WebSocket(url, { perMessageDeflate: false })
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString())
      handlers.get(message.topic)?.(message.price)
    })
    socket.on('open', () => socket.send(JSON.stringify({ method: 'subscribe', topic })))
  }
}

const svcStreams = async () => {
  const { createClient, isRight } = await import('../node_modules/.build/index.js')
  return (onPrice) => {
    const origin = new URL(url.replace('ws:', 'http:')).origin
    const { price$ } = createClient({ environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url })
    price$(topic).subscribe((event) => {
      if (isRight(event)) onPrice(event.right.price)
    })
  }
}

if (option === 'uses-rxjs') await import('rxjs')
const beforeImport = performance.now()
const start = await (client === 'hand-written' ? byHand : svcStreams)()
const imported = performance.now()
start(() => {
  const now = performance.now()
  const { user, system } = process.cpuUsage()
  const times = {
    import: imported - beforeImport,
    price: now - imported,
    total: now,
    cpu: (user + system) / 1000,
  }
  process.stdout.write(JSON.stringify(times), () => process.exit())
})
