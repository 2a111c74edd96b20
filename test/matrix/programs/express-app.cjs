// The same under Express 5, whose handlers may be asynchronous and whose body parser reads late bodies.
const { setTimeout: delay } = require('node:timers/promises');

module.exports = function expressApp({ express, gym }) {
  const app = express();
  app.disable('x-powered-by');
  app.use(express.json());
  app.get('/express/json', (_, res) => {
    gym.own('express-json');
    res.json({ fine: true });
  });
  app.post('/express/late', (req, res) => {
    gym.own('express-late');
    res.status(502).json(req.body);
  });
  app.get('/express/thrown', async () => {
    await delay(1);
    throw gym.thrown('express-thrown');
  });
  app.get('/express/redirect', (_, res) => {
    gym.own('express-redirect');
    res.redirect(307, '/express/json');
  });
  app.get('/express/cookies', (_, res) => {
    gym.own('express-cookies');
    res.cookie('a', '1');
    res.writeHead(200, ['Set-Cookie', 'b=2', 'Set-Cookie', 'c=3']);
    res.end('body');
  });
  app.get('/express/fresh', async (_, res) => {
    gym.attempt('express-fresh');
    await delay(1);
    res.set('ETag', '"1"').send('body');
  });
  app.use(...gym.errorHandlers(), (error, _req, _res, next) => next(error));
  return app;
};
