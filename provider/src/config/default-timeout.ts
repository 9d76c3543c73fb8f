/** How long an action or a wait may take, unless the program or the command line says otherwise. Seconds. */
export const defaultTimeoutSeconds = 600;
