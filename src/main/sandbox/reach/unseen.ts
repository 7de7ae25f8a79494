/** What is protected cannot be told, so nothing may be written. In words for model and operator. */
export class Unseen extends Error {}
