import { createClient, type Topic } from '../../src/browser.js'

interface Page {
  receive(url: string, topics: readonly Topic[]): void
  received: number
}

const page = globalThis as unknown as Page

page.received = 0
page.receive = (url, topics) => {
  const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://127.0.0.1:1', priceWsUrl: url })
  for (const topic of topics) {
    client.price$(topic).subscribe(({ _tag }) => {
      if (_tag === 'Right') page.received += 1
    })
  }
}
