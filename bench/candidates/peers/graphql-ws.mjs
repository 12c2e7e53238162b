// graphql-ws over graphql-transport-ws, with one subscription per topic.
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { candidate } from '../support/candidate.mjs'

const query = 'subscription ($topic: String!) { price(topic: $topic) { topic price } }'

candidate(async ({ url, onPrice, failed }) => {
  let lastId = 0
  // Short ids, because the default UUID makes each frame longer.
  const client = createClient({ url, webSocketImpl: WebSocket, generateID: () => String(++lastId) })

  return (topics) => {
    for (const topic of topics) {
      client.subscribe(
        { query, variables: { topic } },
        {
          next: ({ data }) => onPrice(data.price.price),
          error: (error) => failed(String(error)),
          complete: () => failed('completion'),
        },
      )
    }
  }
})
