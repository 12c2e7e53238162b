import { openMarket, type Row } from '../market.js'

const rows = openMarket(location.search)
const table = document.querySelector('table')!

/** Adds the row of a token. Returns the function that ends its subscription. */
const showRow = ({ symbol, store, cells }: Row): (() => void) => {
  const element = table.tBodies[0]!.insertRow()
  const header = document.createElement('th')
  header.scope = 'row'
  header.textContent = symbol
  element.append(header)
  const [price, change, state] = [element.insertCell(), element.insertCell(), element.insertCell()]
  return store.subscribe((snapshot) => {
    const texts = cells(snapshot)
    element.dataset['state'] = state.textContent = texts.state
    price.textContent = texts.price
    change.textContent = texts.change
  })
}

let hideRows: readonly (() => void)[] = []

const update = (isShown: boolean): void => {
  for (const hide of hideRows) hide()
  table.tBodies[0]!.replaceChildren()
  table.hidden = !isShown
  hideRows = isShown ? rows.map(showRow) : []
}

document.querySelector('input')!.addEventListener('change', ({ target }) => {
  update((target as HTMLInputElement).checked)
})
update(true)
