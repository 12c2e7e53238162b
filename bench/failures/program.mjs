// The observed process, with one client. Reports each price and each event that the
// client's user receives.
const [name, url] = process.argv.slice(2)
const { open } = await import(`./clients/${name}.mjs`)
const subscribe = await open(url)
const unsubscribes = new Map()

process.on('message', ({ method, subscriber, topic }) => {
  if (method === 'unsubscribe') return unsubscribes.get(subscriber)()
  const report = (kind) => (value) => process.send({ subscriber, kind, value: value ?? null })
  const observer = { price: report('price'), event: report('event'), end: report('end') }
  unsubscribes.set(subscriber, subscribe(topic, observer))
})
process.on('disconnect', () => process.exit())
process.send({ kind: 'ready' })
