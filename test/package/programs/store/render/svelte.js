// Prints the page of the Svelte example as a server renders it.
import { render } from 'svelte/server'
import { openMarket } from '../market.ts'
import Prices from '../svelte/Prices.svelte'

console.log(render(Prices, { props: { rows: openMarket(process.argv[2]) } }).body)
