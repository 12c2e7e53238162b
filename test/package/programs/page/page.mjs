import { createClient } from 'svc-streams'

// Shows the price of the topic that the address of the page names.
const { topic, ...options } = Object.fromEntries(new URLSearchParams(location.search))
const show = ({ _tag, left, right }) => {
  document.body.textContent = _tag === 'Right' ? `price ${right.price}` : left.message
}
createClient({ environment: 'testnet', ...options })
  .price$(topic)
  .subscribe(show)
