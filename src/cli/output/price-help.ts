/** The text format of prices, for the help of commands. `formatPrice` implements it. */
export const priceHelp = `\
Prices are in USD, in plain decimal notation: 4 decimals from 10 USD, 6 decimals below, and 6 significant digits below
0.1 USD. With --json, numbers are exact.`
