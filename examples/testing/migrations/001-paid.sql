ALTER TABLE orders ADD COLUMN paid boolean NOT NULL DEFAULT false;
