// svc-streams through its public entry point, with its defaults.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../../node_modules/.build/index.js'

export const open = async (url) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  const client = createClient({ environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url })

  return (topic, { price, event, end }) => {
    const subscription = client.price$(topic).subscribe({
      next: (e) => (isRight(e) ? price(e.right.price) : event(e.left._tag)),
      complete: () => end('the stream completes'),
    })
    return () => subscription.unsubscribe()
  }
}
