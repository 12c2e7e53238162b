// The project over ws's message event alone, where each subscriber keeps what it was given last.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../node_modules/.build/index.js'
import { candidate } from './candidate.mjs'
import { overMessages } from './over-messages.mjs'

candidate(async ({ url, onPrice, failed }) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  const options = { environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url }
  const client = createClient({ ...options, webSocket: overMessages })
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
