import { mount } from 'svelte'
import { openMarket } from '../market.ts'
import Prices from './Prices.svelte'

// The stores outlive the components: neither a remount nor a hot reload connects again.
const rows = openMarket(location.search)

mount(Prices, { target: document.querySelector('#root'), props: { rows } })
