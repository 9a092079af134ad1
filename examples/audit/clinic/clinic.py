#!/usr/bin/env python3
"""A small clinic's back office on PostgreSQL, written with SQLAlchemy as such applications usually are.

Some of its transactions are safe, each by another means, and four are wrong in the usual ways. It exists to be audited:
run it under several threads with the server's log switched on, and give the log to `isolde audit`
(docs/audit.md shows the result).

    clinic.py setup URL            create the tables and their rows
    clinic.py run URL [REQUESTS]   serve that many requests (400) in eight threads

Needs Debian's python3-sqlalchemy and python3-psycopg2.
"""
import random
import sys
import threading

from sqlalchemy import Column, ForeignKey, Integer, String, UniqueConstraint, create_engine, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.orm.exc import StaleDataError

Base = declarative_base()


class Patient(Base):
    __tablename__ = "patient"
    id = Column(Integer, primary_key=True)
    name = Column(String, nullable=False)
    address = Column(String, nullable=False)
    version = Column(Integer, nullable=False)
    __mapper_args__ = {"version_id_col": version}


class Account(Base):
    __tablename__ = "account"
    patient_id = Column(Integer, ForeignKey("patient.id"), primary_key=True)
    balance = Column(Integer, nullable=False)


class Doctor(Base):
    __tablename__ = "doctor"
    id = Column(Integer, primary_key=True)
    ward = Column(Integer, nullable=False)
    on_call = Column(Integer, nullable=False)


class Drug(Base):
    __tablename__ = "drug"
    id = Column(Integer, primary_key=True)
    stock = Column(Integer, nullable=False)


class Bed(Base):
    __tablename__ = "bed"
    id = Column(Integer, primary_key=True)
    patient_id = Column(Integer)


class Appointment(Base):
    __tablename__ = "appointment"
    id = Column(Integer, primary_key=True)
    doctor_id = Column(Integer, nullable=False)
    day = Column(Integer, nullable=False)
    patient_id = Column(Integer, nullable=False)


class Badge(Base):
    __tablename__ = "badge"
    id = Column(Integer, primary_key=True)
    number = Column(Integer, nullable=False)
    doctor_id = Column(Integer, nullable=False)
    __table_args__ = (UniqueConstraint("number"),)


class Fund(Base):
    __tablename__ = "fund"
    id = Column(Integer, primary_key=True)
    amount = Column(Integer, nullable=False)


class Prescription(Base):
    __tablename__ = "prescription"
    id = Column(Integer, primary_key=True)
    patient_id = Column(Integer, nullable=False)
    drug_id = Column(Integer, nullable=False)


class Voucher(Base):
    __tablename__ = "voucher"
    id = Column(Integer, primary_key=True)
    used = Column(Integer, nullable=False)


PATIENTS, DOCTORS, DRUGS, BEDS, WARDS, FUNDS, VOUCHERS = 12, 8, 6, 6, 2, 3, 40


# ---- safe ------------------------------------------------------------------------------------------------------------

def change_address(engine, rng):
    """Optimistic lock: SQLAlchemy's version column makes the UPDATE match only what was read."""
    with Session(engine) as s, s.begin():
        patient = s.get(Patient, rng.randint(1, PATIENTS))
        patient.address = f"{rng.randint(1, 999)} Mill Road"


def assign_bed(engine, rng):
    """SELECT ... FOR UPDATE before the change."""
    with Session(engine) as s, s.begin():
        bed = s.get(Bed, rng.randint(1, BEDS), with_for_update=True)
        bed.patient_id = rng.randint(1, PATIENTS) if bed.patient_id is None else None


def issue_badge(engine, rng):
    """A unique key stops the second of two."""
    number = rng.randint(1, 500)
    with Session(engine) as s, s.begin():
        if s.execute(select(Badge.id).where(Badge.number == number)).first() is None:
            s.add(Badge(number=number, doctor_id=rng.randint(1, DOCTORS)))


def move_funds(engine, rng):
    """Reads and writes at SERIALIZABLE."""
    giver, taker = rng.sample(range(1, FUNDS + 1), 2)
    with Session(engine.execution_options(isolation_level="SERIALIZABLE")) as s, s.begin():
        source, target = s.get(Fund, giver), s.get(Fund, taker)
        amount = rng.randint(1, 50)
        if source.amount >= amount:
            source.amount -= amount
            target.amount += amount


def dispense(engine, rng):
    """The new value is computed by the database, and the condition is part of the UPDATE."""
    drug = rng.randint(1, DRUGS)
    with Session(engine) as s, s.begin():
        taken = s.query(Drug).filter(Drug.id == drug, Drug.stock > 0).update(
            {Drug.stock: Drug.stock - 1}, synchronize_session=False)
        if taken:
            s.add(Prescription(patient_id=rng.randint(1, PATIENTS), drug_id=drug))


def patient_record(engine, rng):
    """Reads only."""
    patient = rng.randint(1, PATIENTS)
    with Session(engine) as s, s.begin():
        s.get(Patient, patient)
        s.execute(select(func.count()).select_from(Prescription).where(Prescription.patient_id == patient)).scalar()


# ---- wrong -----------------------------------------------------------------------------------------------------------

def charge(engine, rng):
    """Lost update: the balance is read, changed in the program and written back."""
    with Session(engine) as s, s.begin():
        account = s.get(Account, rng.randint(1, PATIENTS))
        account.balance = account.balance + rng.randint(1, 100)


def leave_call(engine, rng):
    """Write skew: each of two doctors sees the other on call, and both leave."""
    with Session(engine) as s, s.begin():
        doctor = s.get(Doctor, rng.randint(1, DOCTORS))
        others = s.execute(select(func.count()).select_from(Doctor)
                           .where(Doctor.ward == doctor.ward, Doctor.on_call == 1)).scalar()
        if doctor.on_call == 1 and others > 1:
            doctor.on_call = 0
        else:
            doctor.on_call = 1


def book(engine, rng):
    """Phantom: two see no appointment on that day, and both make one."""
    doctor, day = rng.randint(1, DOCTORS), rng.randint(1, 60)
    with Session(engine) as s, s.begin():
        if s.execute(select(Appointment.id).where(Appointment.doctor_id == doctor, Appointment.day == day)).first() is None:
            s.add(Appointment(doctor_id=doctor, day=day, patient_id=rng.randint(1, PATIENTS)))


def redeem(engine, rng):
    """Scope: the check and the change are two transactions; no isolation level helps."""
    voucher = rng.randint(1, VOUCHERS)
    with Session(engine) as s, s.begin():
        used = s.execute(select(Voucher.used).where(Voucher.id == voucher)).scalar()
    if used == 0:
        with Session(engine) as s, s.begin():
            s.query(Voucher).filter(Voucher.id == voucher).update({Voucher.used: 1}, synchronize_session=False)


REQUESTS = [change_address, assign_bed, issue_badge, move_funds, dispense, patient_record, charge, leave_call, book, redeem]


def setup(engine):
    Base.metadata.create_all(engine)
    with Session(engine) as s, s.begin():
        for i in range(1, PATIENTS + 1):
            s.add(Patient(id=i, name=f"Patient {i}", address="1 High Street"))
        s.flush()
        for i in range(1, PATIENTS + 1):
            s.add(Account(patient_id=i, balance=0))
        s.add_all([Doctor(id=i, ward=1 + i % WARDS, on_call=1) for i in range(1, DOCTORS + 1)])
        s.add_all([Drug(id=i, stock=1000) for i in range(1, DRUGS + 1)])
        s.add_all([Bed(id=i) for i in range(1, BEDS + 1)])
        s.add_all([Fund(id=i, amount=1000) for i in range(1, FUNDS + 1)])
        s.add_all([Voucher(id=i, used=0) for i in range(1, VOUCHERS + 1)])


def run(engine, requests):
    def serve(worker):
        rng = random.Random(worker)
        for i in range(requests // 8):
            request = REQUESTS[(i + worker) % len(REQUESTS)]
            try:
                request(engine, rng)
            except (DBAPIError, StaleDataError):
                pass  # the user tries again later
    threads = [threading.Thread(target=serve, args=(w,)) for w in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("setup", "run"):
        sys.exit(__doc__)
    engine = create_engine(sys.argv[2], pool_size=8)
    if sys.argv[1] == "setup":
        setup(engine)
    else:
        run(engine, int(sys.argv[3]) if len(sys.argv) > 3 else 400)


if __name__ == "__main__":
    main()
