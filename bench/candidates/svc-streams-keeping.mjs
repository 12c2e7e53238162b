// The project where each subscriber keeps what it was given last: nothing that it delivers dies young.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../node_modules/.build/index.js'
import { candidate } from './candidate.mjs'

candidate(async ({ url, onPrice, failed }) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  const client = createClient({ environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url })
  const kept = []

  return (topics) => {
    topics.forEach((topic, index) => {
      client.price$(topic).subscribe((event) => {
        kept[index] = event
        if (isRight(event)) onPrice(event.right.price)
        else failed(event.left.message)
      })
    })
  }
})
