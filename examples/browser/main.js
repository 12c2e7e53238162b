import { createClient, defineTokens } from 'svc-streams'

// A page with live prices, built by Vite. Give it the address of a service:
// `?priceBaseUrl=https://prices.example:3000`, and `&priceWsUrl=…` unless that is port 4000 of the same host.

const tokens = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})
const addresses = Object.fromEntries(new URLSearchParams(location.search))
const client = createClient({ environment: 'mainnet', ...addresses })

for (const { symbol, topic } of Object.values(tokens)) {
  const row = document.querySelector('tbody').insertRow()
  const [name, price, state] = [row.insertCell(), row.insertCell(), row.insertCell()]
  name.textContent = symbol
  price.textContent = '–'
  state.textContent = 'waiting'
  client.price$(topic).subscribe((event) => {
    const isCurrent = event._tag === 'Right'
    if (isCurrent) price.textContent = event.right.price.toFixed(2)
    // A price that is not current stays visible, in another style.
    price.classList.toggle('not-current', !isCurrent)
    state.textContent = isCurrent ? 'live' : event.left._tag
  })
}

client.status$.subscribe((status) => {
  document.querySelector('[role=status]').textContent = status.reason ?? status._tag
})
