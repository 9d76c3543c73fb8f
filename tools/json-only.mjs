// What axios gets in a bundle that sends only JSON: a global object without the class of forms, with which Node would load its
// fetch, and no library for forms.
const globals = Object.create(globalThis, { FormData: { value: undefined } });

export { globals as globalThis };
// biome-ignore lint/style/noDefaultExport: axios imports the default of form-data.
export default undefined;
