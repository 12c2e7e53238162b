// Prints the page of the React example as a server renders it.
import { renderToString } from 'react-dom/server'
import { openMarket } from '../market.js'
import { Prices } from '../react/Prices.js'

console.log(renderToString(<Prices rows={openMarket(process.argv[2] ?? '')} />))
